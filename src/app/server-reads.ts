// What the process that serves HTTP has to read: its program, packages, the configuration, the strategies that it
// names, and past days. Whatever stands elsewhere, as a file of credentials or the environment of another
// process, is out of its reach where Node holds it to that.

import { type Dirent, existsSync, readdirSync, realpathSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { daysFolder } from '../journal/days/day-files.ts';
import { readBoundedFile } from '../settings/bounded-file.ts';
import { strategyModules } from '../settings/modules.ts';

export type ServedFiles = {
  /** The configuration that is in force. */
  readonly configFile: string;
  /** Its true path. */
  readonly journal: string;
  /** Stands beside strategies of an operator's own, perhaps, and is no part of them. */
  readonly credentialsFile: string | undefined;
};

/** The folder in which `src/` and `strategies/` are, compiled or as source. */
const PROGRAM = fileURLToPath(new URL('../../', import.meta.url));

/** Paths as `--allow-fs-read` takes them; an asterisk at the end is all below. */
export function serverReads(
  { configFile, journal, credentialsFile }: ServedFiles,
  program = PROGRAM,
): readonly string[] {
  const own = ['src/*', 'strategies/*', 'package.json', '../package.json', '../src/bookend.js'];
  const modules = ownModules(configFile);
  const beside = [...new Set(modules.map((file) => dirname(file)))];
  const days = daysFolder(journal);
  return [
    ...new Set([
      ...own.map((path) => join(program, path)),
      ...[program, ...beside].flatMap(packagesAbove),
      ...[configFile, journal, days, `${days}/*`],
      ...beside.flatMap((folder) => codeIn(folder, credentialsFile)),
      ...modules,
    ]),
  ];
}

/** Those that the file names by a path; a file that cannot be read names none. */
function ownModules(configFile: string): readonly string[] {
  try {
    const paths = strategyModules(readBoundedFile(configFile));
    return paths.flatMap((path) => withTrue(resolve(dirname(configFile), path)));
  } catch {
    return [];
  }
}

/** A strategy imports packages from any folder above it. */
function packagesAbove(folder: string): readonly string[] {
  const found: string[] = [];
  for (let at = resolve(folder); ; at = dirname(at)) {
    const packages = join(at, 'node_modules');
    if (existsSync(packages)) found.push(...withTrue(packages).map((path) => `${path}/*`));
    if (at === dirname(at)) return found;
  }
}

/** Links are followed before anything is loaded. */
function withTrue(path: string): readonly string[] {
  try {
    return [...new Set([path, realpathSync(path)])];
  } catch {
    return [path];
  }
}

/** More is a wrong folder, not a collection of strategies; what is left out cannot be loaded for a preview. */
const CODE_FILES_MAX = 500;
const FOLDERS_MAX = 50;
/** With the tables that a strategy imports. */
const CODE = /\.(?:[cm]?[jt]s|json|wasm)$/;

/** Of the folder that a module stands in, which may be that of the configuration, only what can be imported. */
function codeIn(folder: string, credentialsFile: string | undefined): readonly string[] {
  const secret = credentialsFile === undefined ? [] : withTrue(resolve(credentialsFile));
  const isSecret = (path: string) => withTrue(path).some((each) => secret.includes(each));
  const folders = [folder];
  const files: string[] = [];
  for (let count = 0; count < Math.min(folders.length, FOLDERS_MAX); count += 1) {
    const at = folders[count] ?? folder;
    const entries = entriesOf(at).filter(({ name }) => !/^(?:\.|node_modules$)/.test(name));
    const [below, beside] = [true, false].map((isFolder) =>
      entries.filter((each) => each.isDirectory() === isFolder).map(({ name }) => join(at, name)),
    );
    folders.push(...(below ?? []));
    files.push(...(beside ?? []).filter((path) => CODE.test(path) && !isSecret(path)));
  }
  return files.slice(0, CODE_FILES_MAX);
}

function entriesOf(folder: string): readonly Dirent[] {
  try {
    return readdirSync(folder, { withFileTypes: true });
  } catch {
    return [];
  }
}
