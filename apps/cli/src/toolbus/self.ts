/** The options that select a Toolbus. They do not include a key, because a user may save a proposed command or show it to others. */
const WHICH = ["--url", "--approvals-url", "--data"];

/**
 * Returns how the user called this program: `./toolbus` in a checkout, `npx toolbus` or `toolbus`. Users paste the commands that it proposes. The
 * text includes the typed addresses and data directory, because a command without them would address another Toolbus.
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

/** Quotes a word for a shell, if necessary. */
export function quoted(word: string): string {
  return /^[\w./:@%+,-]+$/.test(word) ? word : `'${word.replaceAll("'", "'\\''")}'`;
}

export const SELF = selfOf(process.env["TOOLBUS_TYPED"], process.argv.slice(2));
