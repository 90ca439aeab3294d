/** Returns Python code without the texts between triple quotes, in which examples look like code. A text that does not end is kept. */
export function withoutTextBlocks(code: string): string {
  let kept = "";
  let from = 0;
  for (;;) {
    const [found] = code.slice(from).match(/"""|'''/) ?? [];
    if (found === undefined) return kept + code.slice(from);
    const begin = code.indexOf(found, from);
    const end = code.indexOf(found, begin + 3);
    if (end === -1) return kept + code.slice(from);
    kept += `${code.slice(from, begin)}""`;
    from = end + 3;
  }
}
