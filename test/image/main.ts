// Looks into the image that `test/image/run` has built, and runs it. The folder of its store is the only argument.

import { checkContents } from './contents.ts';
import { Podman } from './podman.ts';
import { checkPaper, checkRun } from './running.ts';

const [work = ''] = process.argv.slice(2);
const podman = new Podman(work);
const health = await checkContents(podman);
await Promise.all([checkPaper(podman, health), checkRun(podman, work)]);
