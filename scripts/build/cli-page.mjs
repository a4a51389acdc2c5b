// SPDX-License-Identifier: MIT
// Writes docs/reference/cli.md from the commands, so that it is always complete: npm run docs:cli, after npm run build:library.
// docs/cli-page.test.ts fails if the page is not that of the sources.
import { writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

/** Options that this many commands have in the same form are described once. */
const SHARED = 5;

const INTRODUCTION = `# The command line

\`ossify <command> <input> [<output>] [options]\`. This page is made from the commands by \`npm run docs:cli\`; \`ossify help COMMAND\` prints the same, and so does \`man ossify\`.
[Inputs and outputs](../guide/command-line.md) describes inputs, lengths, outputs and exit statuses; [methods](../methods/README.md) describes what commands do.
`;

/** The page: program is that of makeProgram, with the commands that it was made of. */
export function makeCliPage(program, commands) {
  const counts = new Map();
  for (const { options } of program.commands)
    for (const one of options.filter(hasEffect)) counts.set(keyOf(one), (counts.get(keyOf(one)) ?? 0) + 1);
  const isShared = (one) => counts.get(keyOf(one)) >= SHARED;
  const all = program.commands.flatMap(({ options }) => options.filter(isShared));
  const shared = [...new Map(all.map((one) => [keyOf(one), one])).values()];
  const sections = commands.map((spec) => {
    const { options } = program.commands.find((one) => one.name() === spec.name);
    return describeCommand(spec, options, isShared);
  });
  const list = commands.map(({ name, summary }) => `| [\`${name}\`](#${name}) | ${toMarkdown(summary)} |`);
  return [
    INTRODUCTION,
    `| command | |\n|---|---|\n${list.join('\n')}\n`,
    ...sections,
    '## Options of many commands\n',
    tableOf(shared),
  ].join('\n');
}

function describeCommand({ name, description, arguments: inputs, examples }, options, isShared) {
  const lines = examples.map(({ line, does }) => `ossify ${line}  # ${does}`);
  const synopsis = ['ossify', name, ...inputs.map((one) => withBrackets(one.name)), '[options]'].join(' ');
  const parts = [
    `## ${name}\n`,
    `\`${synopsis}\`\n`,
    `${toMarkdown(description)}\n`,
    ...(lines.length > 0 ? [`\`\`\`sh\n${lines.join('\n')}\n\`\`\`\n`] : []),
    ...inputs.map(
      (one) => `- \`${withBrackets(one.name)}\`: ${toMarkdown(one.description)}${listChoices(one.choices)}`,
    ),
    ...(inputs.length > 0 ? [''] : []),
  ];
  const own = options.filter((one) => hasEffect(one) && !isShared(one));
  for (const heading of new Set(own.map((one) => one.helpGroupHeading))) {
    parts.push(`${toMarkdown(heading)}\n`, tableOf(own.filter((one) => one.helpGroupHeading === heading)));
  }
  const others = options.filter(isShared).map(({ long }) => `\`${long}\``);
  if (others.length > 0) parts.push(`[Options of many commands](#options-of-many-commands): ${others.join(', ')}.\n`);
  return parts.join('\n');
}

function tableOf(options) {
  const rows = options.map((one) => {
    const text = `${toMarkdown(one.description)}${listChoices(one.argChoices)}`;
    return `| \`${one.flags.replaceAll('|', '\\|')}\` | ${text} | ${toMarkdown(defaultOf(one))} |`;
  });
  return `| option | meaning | default |\n|---|---|---|\n${rows.join('\n')}\n`;
}

function defaultOf({ defaultValue, defaultValueDescription }) {
  if (defaultValueDescription !== undefined) return defaultValueDescription;
  return defaultValue === undefined ? '' : String(defaultValue);
}

/** Some options are accepted by every command, also where they do nothing. */
function hasEffect(one) {
  return !one.description.startsWith('no effect');
}

/** Options of two commands are the same if help prints the same. */
function keyOf(one) {
  return [one.flags, one.description, one.argChoices ?? '', defaultOf(one)].join('\n');
}

function withBrackets(name) {
  return /^[<[]/.test(name) ? name : `<${name}>`;
}

function listChoices(choices) {
  return choices ? `: ${choices.map((one) => `\`${one}\``).join(', ')}` : '';
}

/** Help as Markdown. */
function toMarkdown(text) {
  return text.replace(/[\\_*|<>[\]]/g, (one) => `\\${one}`).replace(/\s+/g, ' ');
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const at = (path) => new URL(`../../${path}`, import.meta.url);
  const { COMMANDS } = await import(at('dist/hosts/cli/commands.js').href);
  const { makeProgram } = await import(at('dist/hosts/cli/program.js').href);
  const program = makeProgram(COMMANDS, async () => {});
  writeFileSync(at('docs/reference/cli.md'), makeCliPage(program, COMMANDS));
}
