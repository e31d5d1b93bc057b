import { chmod, mkdtemp, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { controlTokenFile, controlTokenOf, localToken } from '../../../src/app/control-token.ts';
import { Secret } from '../../../src/domain/secret.ts';

let folder: string;
const warned: string[] = [];
const log = { warn: (event: string) => void warned.push(event) };

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'bookend-token-'));
  warned.length = 0;
});

afterEach(async () => {
  await rm(folder, { recursive: true, force: true });
});

const given = (controlToken?: Secret) => ({ controlToken, journal: join(folder, 'data/x.db') });

describe('the control token', () => {
  it('is the configured one, and then none is written', async () => {
    const configured = given(new Secret('sixteen-characters'));
    expect((await controlTokenOf(configured, log))?.reveal()).toBe('sixteen-characters');
    expect(await localToken(configured)).toBe('sixteen-characters');
    await expect(stat(controlTokenFile(configured.journal))).rejects.toThrow('ENOENT');
  });

  it('is made once where none is configured, for its own user alone', async () => {
    expect(await localToken(given())).toBeUndefined();
    const made = await controlTokenOf(given(), log);
    expect(made?.reveal()).toMatch(/^[\w-]{43}$/);
    expect(await localToken(given())).toBe(made?.reveal());
    // A second daemon of the journal, which is refused later, must not shut the first one's door.
    expect((await controlTokenOf(given(), log))?.reveal()).toBe(made?.reveal());
    expect((await stat(controlTokenFile(given().journal))).mode & 0o777).toBe(0o600);
    // A start makes the token before its journal, and the folder of both with it.
    expect((await stat(join(folder, 'data'))).mode & 0o777).toBe(0o700);
  });

  it.each(['others may read it', 'it is no token'])('is made anew where %s', async (why) => {
    const file = controlTokenFile(given().journal);
    const before = (await controlTokenOf(given(), log))?.reveal();
    if (why === 'it is no token') await writeFile(file, 'x');
    else await chmod(file, 0o644);
    expect(await localToken(given())).toBeUndefined();
    const after = (await controlTokenOf(given(), log))?.reveal();
    expect(after).toMatch(/^[\w-]{43}$/);
    expect(after).not.toBe(before);
    expect((await readFile(file, 'utf8')).trim()).toBe(after);
    expect((await stat(file)).mode & 0o777).toBe(0o600);
  });

  it('is none where it cannot be written, and that is said', async () => {
    await writeFile(join(folder, 'data'), 'no folder');
    expect(await controlTokenOf(given(), log)).toBeUndefined();
    expect(warned).toEqual(['http.no_token']);
  });
});
