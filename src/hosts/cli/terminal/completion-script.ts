// SPDX-License-Identifier: MIT
// Shell completion, generated from the program so that it is always complete.
import type { Command, Option } from 'commander';

export const SHELLS = ['bash', 'zsh', 'fish', 'powershell'] as const;
export type Shell = (typeof SHELLS)[number];

/** The completion script of a shell, to be sourced. */
export function makeCompletionScript(shell: Shell, program: Command): string {
  const name = program.name();
  const commands = program.commands.map((command) => ({
    name: command.name(),
    summary: plain(command.summary()),
    options: visibleOptions(command),
    choices: command.registeredArguments[0]?.argChoices ?? [],
  }));
  if (shell === 'bash') return makeBash(name, commands);
  if (shell === 'zsh') return makeZsh(name, commands);
  if (shell === 'fish') return makeFish(name, commands);
  return makePowerShell(name, commands);
}

interface CompletedCommand {
  name: string;
  summary: string;
  options: readonly Option[];
  /** Choices of its first argument; empty for a file. */
  choices: readonly string[];
}

function visibleOptions(command: Command): Option[] {
  return command
    .createHelp()
    .visibleOptions(command)
    .filter((option) => option.long !== undefined);
}

/** Removes quotes, dollars and brackets, which are special characters in some shells. */
function plain(text: string): string {
  return text
    .replace(/['"`$\\[\]:]/g, ' ')
    .replace(/\s+/g, ' ')
    .trim();
}

function makeBash(name: string, commands: CompletedCommand[]): string {
  const cases = commands.map((c) => {
    const options = c.options.map((o) => o.long).join(' ');
    return `    ${c.name}) words="${options}" choices="${c.choices.join(' ')}" ;;`;
  });
  const values = commands.flatMap((c) =>
    c.options
      .filter((o) => o.argChoices !== undefined)
      .map((o) => `    "${c.name} ${o.long}") words="${o.argChoices?.join(' ')}" ;;`),
  );
  return `# bash completion of ${name}: source <(${name} completion bash)
_${name}() {
  local word="\${COMP_WORDS[COMP_CWORD]}" words="" choices=""
  if [ "$COMP_CWORD" -eq 1 ]; then
    words="${[...commands.map((c) => c.name), 'help', '--help', '--version'].join(' ')}"
    COMPREPLY=($(compgen -W "$words" -- "$word"))
    return
  fi
  case "\${COMP_WORDS[1]}" in
${cases.join('\n')}
    help) COMPREPLY=($(compgen -W "${commands.map((c) => c.name).join(' ')}" -- "$word")); return ;;
  esac
  case "\${COMP_WORDS[1]} \${COMP_WORDS[COMP_CWORD-1]}" in
${values.join('\n')}
    *) case "$word" in
      -*) ;;
      *) if [ "$COMP_CWORD" -eq 2 ]; then words="$choices"; else words=""; fi ;;
    esac ;;
  esac
  COMPREPLY=($(compgen -W "$words" -- "$word"))
}
complete -o default -o bashdefault -F _${name} ${name}
`;
}

function makeZsh(name: string, commands: CompletedCommand[]): string {
  const list = commands.map((c) => `    '${c.name}:${c.summary}'`);
  const cases = commands.map((c) => {
    const options = c.options.map((o) => {
      const takesValue = o.required || o.optional;
      const value = o.argChoices ? `(${o.argChoices.join(' ')})` : '_files';
      return `        '${o.long}[${plain(o.description)}]${takesValue ? `:value:${value}` : ''}' \\`;
    });
    if (c.choices.length > 0) options.push(`        '1:word:(${c.choices.join(' ')})' \\`);
    return `      ${c.name})\n        _arguments \\\n${options.join('\n')}\n        '*:file:_files' ;;`;
  });
  return `#compdef ${name}
# zsh completion of ${name}: source <(${name} completion zsh)
_${name}() {
  local -a commands
  commands=(
${list.join('\n')}
    'help:print help for a command'
  )
  if (( CURRENT == 2 )); then
    _describe command commands
    return
  fi
  local command="$words[2]"
  shift words
  (( CURRENT-- ))
  case "$command" in
${cases.join('\n')}
      help) _describe command commands ;;
  esac
}
# Sourced it registers itself; found through fpath it is the function.
if [ "$funcstack[1]" = "_${name}" ]; then
  _${name} "$@"
else
  compdef _${name} ${name}
fi
`;
}

function makeFish(name: string, commands: CompletedCommand[]): string {
  const lines = [
    `# fish completion of ${name}: ${name} completion fish | source`,
    `complete -c ${name} -n __fish_use_subcommand -a help -d 'print help for a command'`,
  ];
  for (const command of commands) {
    lines.push(`complete -c ${name} -n __fish_use_subcommand -a ${command.name} -d '${command.summary}'`);
    if (command.choices.length > 0) {
      lines.push(
        `complete -c ${name} -n '__fish_seen_subcommand_from ${command.name}' -a '${command.choices.join(' ')}'`,
      );
    }
    for (const option of command.options) {
      const takesValue = option.required || option.optional;
      const words = option.argChoices ? ` -f -a '${option.argChoices.join(' ')}'` : '';
      const long = (option.long ?? '').replace(/^--/, '');
      lines.push(
        `complete -c ${name} -n '__fish_seen_subcommand_from ${command.name}' -l ${long}${takesValue ? ' -r' : ''}${words} -d '${plain(option.description)}'`,
      );
    }
  }
  return `${lines.join('\n')}\n`;
}

function makePowerShell(name: string, commands: CompletedCommand[]): string {
  const list = (words: readonly (string | undefined)[]): string => `@(${words.map((word) => `'${word}'`).join(', ')})`;
  const options = commands.map((c) => `    '${c.name}' = ${list([...c.options.map((o) => o.long), ...c.choices])}`);
  const values = commands.flatMap((c) =>
    c.options.filter((o) => o.argChoices).map((o) => `    '${c.name} ${o.long}' = ${list(o.argChoices ?? [])}`),
  );
  return `# PowerShell completion of ${name}: ${name} completion powershell | Out-String | Invoke-Expression
Register-ArgumentCompleter -Native -CommandName ${name} -ScriptBlock {
  param($word, $tree, $position)
  $commands = ${list([...commands.map((c) => c.name), 'help', '--help', '--version'])}
  $options = @{
${options.join('\n')}
  }
  $values = @{
${values.join('\n')}
  }
  $given = @($tree.CommandElements | Where-Object { $_.Extent.EndOffset -lt $position } | ForEach-Object { $_.ToString() })
  if ($given.Count -le 1) { $words = $commands }
  elseif ($given[1] -eq 'help') { $words = $commands }
  elseif ($values.ContainsKey("$($given[1]) $($given[-1])")) { $words = $values["$($given[1]) $($given[-1])"] }
  elseif ($options.ContainsKey($given[1])) { $words = $options[$given[1]] }
  else { $words = @() }
  $words | Where-Object { $_ -like "$word*" } | ForEach-Object {
    [System.Management.Automation.CompletionResult]::new($_, $_, 'ParameterValue', $_)
  }
}
`;
}
