// Why a file could not be read, in words beside the code of the operating system.

const WORDS: Readonly<Record<string, string>> = {
  ENOENT: ': there is no such file',
  EACCES: ': this user may not read it',
  EISDIR: ': it is a folder',
  ENOTDIR: ': a part of its path is no folder',
};

/** @param code - As Node has it, `ENOENT`. */
export function fileFault(code: string): string {
  return `cannot be read (${code})${WORDS[code] ?? ''}`;
}
