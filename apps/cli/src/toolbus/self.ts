/** The options that say which Toolbus is meant. A key is not repeated: a proposed command may be kept or shown to others. */
const WHICH = ["--url", "--approvals-url", "--data"];

/**
 * How this program was called, so that users can paste the commands it proposes: `./toolbus` in a checkout, `npx toolbus`, or `toolbus`, with the addresses
 * and the data directory that were typed: without them a pasted command would go to another Toolbus.
 */
export function selfOf(name: string | undefined, typed: readonly string[]): string {
  const end = typed.indexOf("--");
  const words = end < 0 ? typed : typed.slice(0, end);
  const which = words.flatMap((word, at) => {
    const [option = "", inline] = /^(--[a-z-]+)=(.*)$/s.exec(word)?.slice(1) ?? [word];
    const value = inline ?? words[at + 1];
    return WHICH.includes(option) && value !== undefined ? [`${option} ${quoted(value)}`] : [];
  });
  return [name || "toolbus", ...which].join(" ");
}

/** For a shell. */
function quoted(word: string): string {
  return /^[\w./:@%+,-]+$/.test(word) ? word : `'${word.replaceAll("'", "'\\''")}'`;
}

export const SELF = selfOf(process.env["TOOLBUS_TYPED"], process.argv.slice(2));
