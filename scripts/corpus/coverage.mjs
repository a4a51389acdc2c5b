// SPDX-License-Identifier: MIT
// Reads command lines of the corpus by the options of their commands, and lists options that no job uses.

/** Options that every job has, or that need a GPU. */
const LEFT_OUT = ['threads', 'gpu'];

/** The places (inputs and output) and the options of a command line. Options that are unknown are left out. */
export function parseWords({ options: known }, words) {
  const places = [];
  const options = {};
  for (let n = 0; n < words.length; n++) {
    if (!words[n].startsWith('--')) {
      places.push(words[n]);
      continue;
    }
    const key = words[n].slice(2).replaceAll(/-([a-z])/g, (_, letter) => letter.toUpperCase());
    const option = known[key];
    if (!option) continue;
    const { placeholder, isText, choices } = option.type;
    const isMissing = n + 1 === words.length || words[n + 1].startsWith('--');
    if (placeholder === '' || (placeholder.startsWith('[') && isMissing)) options[key] = true;
    else {
      const value = words[++n];
      options[key] = isText || choices || value === '' || Number.isNaN(Number(value)) ? value : Number(value);
    }
  }
  return { places, options };
}

/** Options that no job gives a value other than the default, by command; and choices that no job names. */
export function listUncovered(specs, list) {
  const lines = [];
  for (const spec of specs) {
    const used = new Map(Object.keys(spec.options).map((key) => [key, new Set()]));
    for (const { words } of list.filter((job) => job.words[0] === spec.name))
      for (const [key, value] of Object.entries(parseWords(spec, words.slice(1)).options)) used.get(key).add(value);
    for (const [key, option] of Object.entries(spec.options)) {
      if (LEFT_OUT.includes(key)) continue;
      const values = [...used.get(key)];
      if (!values.some((value) => !option.hasDefault || String(value) !== String(option.default)))
        lines.push(`${spec.name} --${dashed(key)}`);
      for (const choice of option.type.choices ?? [])
        if (choice !== option.default && values.length > 0 && !values.includes(choice))
          lines.push(`${spec.name} --${dashed(key)} ${choice}`);
    }
  }
  return lines;
}

const dashed = (key) => key.replaceAll(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`);
