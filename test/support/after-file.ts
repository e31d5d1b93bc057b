import { afterAll } from 'vitest';
import { removeTempFolders } from './temp-folder.ts';

afterAll(removeTempFolders);
