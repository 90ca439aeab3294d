import { existsSync } from "node:fs";
import path from "node:path";
import { linesOf, reportOf, summaryOf } from "../tests/pages/report.ts";
import { pagesOf, tryPages } from "../tests/pages/try-pages.ts";

/** `npm run docs -- --try`: executes the commands of all pages, or of the named ones, and returns the exit code. */
export async function runPages(root: string, named: readonly string[], { json }: { readonly json: boolean }): Promise<number> {
  const missing = named.filter((page) => !existsSync(path.join(root, page)));
  if (missing.length > 0) {
    console.error(`There is no page ${missing.join(", ")}: name pages from the root of the repository, such as docs/cli.md.`);
    return 2;
  }
  const stopping = new AbortController();
  for (const signal of ["SIGINT", "SIGTERM"] as const) process.once(signal, () => stopping.abort());
  const say = (lines: readonly string[]): void => void (json || console.log(lines.join("\n")));
  const tried = await tryPages(root, named.length > 0 ? named : pagesOf(root), {
    onTried: (one) => say(linesOf(one)),
    signal: stopping.signal,
  });
  if (stopping.signal.aborted) {
    console.error("Interrupted; what ran is stopped, and nothing is left.");
    return 130;
  }
  const report = reportOf(tried);
  if (json) console.log(JSON.stringify(report, null, 2));
  else say(summaryOf(report));
  return report.ok ? 0 : 1;
}
