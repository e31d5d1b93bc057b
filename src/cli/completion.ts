// `completion`: a script for the shell, made of the very commands and options that commander knows.

import { Argument, type Command, type Option } from 'commander';
import { command } from './command.ts';
import type { CliIo } from './io.ts';

type Shell = 'bash' | 'zsh' | 'fish';
const SHELLS: readonly Shell[] = ['bash', 'zsh', 'fish'];

type Entry = {
  readonly name: string;
  readonly description: string;
  readonly options: readonly OptionEntry[];
  /** It takes something beside options: one of these, or a file. */
  readonly argument: Value | undefined;
};

type OptionEntry = {
  readonly names: readonly string[];
  readonly description: string;
  readonly value: Value | undefined;
};

/** What follows an option: one of a few words, a file, or anything. */
type Value = 'file' | 'any' | { readonly words: readonly string[] };

export function completionCommand(io: CliIo): Command {
  return command('completion', 'prints a script that completes commands and options in a shell')
    .addArgument(new Argument('<shell>', 'which shell').choices(SHELLS))
    .addHelpText('after', HELP)
    .action((shell: Shell, _: object, self: Command) => {
      io.stdout.write(SCRIPTS[shell](entriesOf(self.parent ?? self)));
    });
}

const HELP = `
bash: eval "$(bookend completion bash)" in ~/.bashrc
zsh:  eval "$(bookend completion zsh)" in ~/.zshrc, behind compinit
fish: bookend completion fish > ~/.config/fish/completions/bookend.fish`;

function entriesOf(program: Command): readonly Entry[] {
  const help = program.createHelp();
  const commands = help.visibleCommands(program);
  const words = commands.map((each) => each.name());
  return commands.map((each) => ({
    name: each.name(),
    description: each.description(),
    options: help.visibleOptions(each).map(optionEntry),
    argument: each.name() === 'help' ? { words } : each.registeredArguments.map(argumentValue)[0],
  }));
}

function optionEntry(option: Option): OptionEntry {
  const names = [option.long, option.short].filter((name) => typeof name === 'string');
  const takesValue = option.required || option.optional;
  const { description, flags, argChoices } = option;
  return { names, description, value: takesValue ? valueNamed(flags, argChoices) : undefined };
}

function argumentValue(argument: Argument): Value {
  return valueNamed(argument.name(), argument.argChoices);
}

/** By the name that the help gives it. */
function valueNamed(name: string, choices: readonly string[] | undefined): Value {
  if (choices !== undefined) return { words: choices };
  return /file|recording|folder/i.test(name) ? 'file' : 'any';
}

const SCRIPTS: Readonly<Record<Shell, (entries: readonly Entry[]) => string>> = {
  bash: bashScript,
  zsh: zshScript,
  fish: fishScript,
};

function bashScript(entries: readonly Entry[]): string {
  const names = entries.map(({ name }) => name).join(' ');
  const values = entries.flatMap(({ name, options }) =>
    options.flatMap((option) => bashValue(name, option)),
  );
  const commands = entries.map(({ name, options, argument }) => {
    const words = options.flatMap((option) => option.names).join(' ');
    return `    ${name}) ${bashArgument(argument)}COMPREPLY+=($(compgen -W '${words}' -- "$cur")) ;;`;
  });
  return `# Completion of bookend for bash: eval "$(bookend completion bash)"
_bookend() {
  local cur=\${COMP_WORDS[COMP_CWORD]} prev=\${COMP_WORDS[COMP_CWORD-1]} name=\${COMP_WORDS[1]}
  COMPREPLY=()
  if [ "$COMP_CWORD" -eq 1 ]; then
    COMPREPLY=($(compgen -W '${names} --help --version' -- "$cur"))
    return
  fi
  case "$name $prev" in
${values.join('\n')}
  esac
  case "$name" in
${commands.join('\n')}
  esac
}
_bookend_files() {
  compopt -o filenames 2>/dev/null
  COMPREPLY+=($(compgen -f -- "$cur"))
}
complete -F _bookend bookend
`;
}

function bashValue(name: string, { names, value }: OptionEntry): readonly string[] {
  if (value === undefined) return [];
  const patterns = names.map((each) => `'${name} ${each}'`).join('|');
  return [`    ${patterns}) ${bashAction(value)}return ;;`];
}

function bashAction(value: Value): string {
  if (value === 'file') return '_bookend_files; ';
  return value === 'any' ? '' : `COMPREPLY=($(compgen -W '${value.words.join(' ')}' -- "$cur")); `;
}

/** What looks like an option is none of the words. */
function bashArgument(value: Value | undefined): string {
  return value === undefined ? '' : `[ "\${cur#-}" != "$cur" ] || { ${bashAction(value)}}; `;
}

function zshScript(entries: readonly Entry[]): string {
  const names = entries.map(({ name, description }) => quoted(`${name}:${description}`));
  const commands = entries.map(({ name, options, argument }) => {
    const specs = [...options.flatMap(zshOption), ...(argument ? [zshArgument(argument)] : [])];
    return `    ${name}) _arguments ${specs.map(quoted).join(' ')} ;;`;
  });
  return `#compdef bookend
# Completion of bookend for zsh: eval "$(bookend completion zsh)"
_bookend() {
  local -a names
  names=(${names.join(' ')})
  if (( CURRENT == 2 )); then
    _describe command names
    return
  fi
  local name=$words[2]
  shift words
  (( CURRENT-- ))
  case $name in
${commands.join('\n')}
  esac
}
if [ "$funcstack[1]" = _bookend ]; then _bookend "$@"; else compdef _bookend bookend; fi
`;
}

function zshOption({ names, description, value }: OptionEntry): readonly string[] {
  const text = description.replaceAll(/[[\]:\\]/g, '\\$&');
  const tail = value === undefined ? '' : `:value:${zshAction(value)}`;
  return names.map((name) => `${name}[${text}]${tail}`);
}

function zshArgument(value: Value): string {
  return `*:value:${zshAction(value)}`;
}

function zshAction(value: Value): string {
  if (value === 'file') return '_files';
  return value === 'any' ? ' ' : `(${value.words.join(' ')})`;
}

function fishScript(entries: readonly Entry[]): string {
  const lines = entries.flatMap(({ name, description, options, argument }) => [
    `complete -c bookend -n __fish_use_subcommand -a ${name} -d ${fishQuoted(description)}`,
    ...options.map((option) => `complete -c bookend ${fishWhen(name)} ${fishOption(option)}`),
    ...fishArgument(name, argument),
  ]);
  return `# Completion of bookend for fish: bookend completion fish > ~/.config/fish/completions/bookend.fish
complete -c bookend -f
${lines.join('\n')}
`;
}

function fishArgument(name: string, value: Value | undefined): readonly string[] {
  if (value === undefined || value === 'any') return [];
  return [`complete -c bookend ${fishWhen(name)} ${fishAction(value)}`];
}

function fishWhen(name: string): string {
  return `-n '__fish_seen_subcommand_from ${name}'`;
}

function fishOption({ names, description, value }: OptionEntry): string {
  const flags = names.map((name) =>
    name.startsWith('--') ? `-l ${name.slice(2)}` : `-s ${name.slice(1)}`,
  );
  const tail = value === undefined ? [] : [`-r ${fishAction(value)}`.trim()];
  return [...flags, ...tail, `-d ${fishQuoted(description)}`].join(' ');
}

function fishAction(value: Value): string {
  if (value === 'file') return '-F';
  return value === 'any' ? '' : `-a ${fishQuoted(value.words.join(' '))}`;
}

function quoted(text: string): string {
  return `'${text.replaceAll("'", "'\\''")}'`;
}

function fishQuoted(text: string): string {
  return `'${text.replaceAll(/[\\']/g, '\\$&')}'`;
}
