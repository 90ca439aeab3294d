/** A test in the report of its test run. */
export interface RanTest {
  readonly title: string;
  /** One of `passed`, `failed`, `skipped`, `pending` and `todo`. */
  readonly status: string;
}

/** The verdict about a requirement whose code was broken. Every verdict except `caught` has a sentence that says what is wrong. */
export type Verdict =
  | { readonly kind: "caught"; readonly by: string }
  | { readonly kind: "not_caught" | "not_run" | "does_not_fit" | "no_mutation"; readonly why: string };

/**
 * Judges a run of the test files that a row names, with the row's mutation applied. At least one test that the row names must have failed. `names`
 * are written as in `it("…")`, with the placeholders of a table.
 */
export function verdictOf(names: readonly string[], ran: readonly RanTest[]): Verdict {
  if (ran.length === 0)
    return { kind: "does_not_fit", why: "with its mutation none of its test files can be loaded: a mutation breaks behaviour, not syntax" };
  const patterns = names.map((name) => [name, patternOf(name)] as const);
  for (const [name, pattern] of patterns) {
    const mine = ran.filter(({ title }) => pattern.test(title));
    if (mine.length === 0) return { kind: "not_run", why: `its test "${name}" does not run` };
    if (mine.every(({ status }) => status !== "passed" && status !== "failed"))
      return { kind: "not_run", why: `its test "${name}" is skipped` };
  }
  const red = ran.find(({ title, status }) => status === "failed" && patterns.some(([, pattern]) => pattern.test(title)));
  if (red) return { kind: "caught", by: red.title };
  const others = ran.filter(({ status }) => status === "failed").length;
  const elsewhere = others === 0 ? "" : `; ${others} other ${others === 1 ? "test" : "tests"} of the same files did`;
  return { kind: "not_caught", why: `no test that it names failed${elsewhere}` };
}

/** Returns a pattern for the names of tests that come from a table. `%s`, `%#`, `$name` and `$a.b` match any text. */
function patternOf(name: string): RegExp {
  const parts = name.split(/%[a-zA-Z%#$]|\$[\w.]+/).map((part) => part.replaceAll(/[\\^$.*+?()[\]{}|]/g, String.raw`\$&`));
  return new RegExp(`^${parts.join(".*")}$`, "s");
}
