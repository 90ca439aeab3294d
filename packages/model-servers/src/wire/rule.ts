/** Something that the vendor refuses, with where that is known from. `T` is the request as its protocol reads it. */
export interface Rule<T> {
  /** Short and lasting: tests and docs/model-servers.md name it. */
  readonly name: string;
  readonly status: number;
  /** An address, or a file of the vendor's SDK. */
  readonly source: string;
  /** True: from memory or second hand; no document of the vendor was found that says so. */
  readonly unconfirmed?: true;
  /** What the vendor would say; null when the rule is kept. Called only when all rules before it were kept. */
  check(asked: T): Finding | string | null;
}

export interface Finding {
  readonly message: string;
  readonly code?: string;
  readonly param?: string;
}

export interface Refusal extends Finding {
  readonly rule: string;
  readonly status: number;
}

/** The first rule that the request breaks; the order of the table is the order in which the vendor looks. */
export function firstRefusal<T>(rules: readonly Rule<T>[], asked: T): Refusal | null {
  for (const rule of rules) {
    const found = rule.check(asked);
    if (found === null) continue;
    return { rule: rule.name, status: rule.status, ...(typeof found === "string" ? { message: found } : found) };
  }
  return null;
}

/** How a refusal stands in `SeenRequest.refusal`. */
export function refusalText({ rule, message }: Refusal): string {
  return `${rule}: ${message}`;
}
