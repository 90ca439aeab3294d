/** One job of a pipeline. A failure that the pipeline allows is `failed` and `allowed`. */
export interface CiJob {
  readonly status: "failed" | "cancelled" | "unfinished" | "skipped" | "passed";
  readonly name: string;
  readonly allowed?: true;
  readonly stage?: string;
  readonly seconds?: number;
  /** The names of the steps that failed, or the provider's reason. */
  readonly reason?: string;
}

/** The jobs of one pipeline. `unlisted` is the number of jobs that the provider counted and the export lacks. */
export interface CiPipeline {
  readonly provider: "github" | "gitlab";
  /** The number of the pipeline or of the workflow's run, if the export names exactly one. */
  readonly pipeline?: string;
  readonly commit?: string;
  readonly jobs: readonly CiJob[];
  readonly unlisted: number;
}

/** What a parser of an export says. A text completes the sentence that begins with the name of the file. */
export type Parsed<T> = T | string;

const ORDER = ["failed", "cancelled", "unfinished", "skipped", "passed"];

/** The jobs that matter most come first. */
export function jobsInOrder(jobs: readonly CiJob[]): readonly CiJob[] {
  return jobs.toSorted((a, b) => ORDER.indexOf(a.status) - ORDER.indexOf(b.status) || Number(a.allowed ?? 0) - Number(b.allowed ?? 0));
}

/** Returns the value on which all jobs of an export agree. */
export function onlyOne(values: ReadonlySet<string>): string | undefined {
  const [value, ...others] = values;
  return others.length === 0 ? value : undefined;
}
