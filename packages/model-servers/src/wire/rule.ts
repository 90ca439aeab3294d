/** Something that the vendor refuses, with the source of that knowledge. `T` is the request as its protocol reads it. */
export interface Rule<T> {
  /** Short and stable: tests and docs/model-servers.md use it. */
  readonly name: string;
  readonly status: number;
  /** An address, or a file of the vendor's SDK. */
  readonly source: string;
  /** True: from memory or second hand. No document of the vendor was found that says so. */
  readonly unconfirmed?: true;
  /** The vendor's message; null if the request keeps the rule. Called only if it keeps all earlier rules. */
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

/** The first rule that the request breaks. The order of the table is the order in which the vendor checks. */
export function firstRefusal<T>(rules: readonly Rule<T>[], asked: T): Refusal | null {
  for (const rule of rules) {
    const found = rule.check(asked);
    if (found === null) continue;
    return { rule: rule.name, status: rule.status, ...(typeof found === "string" ? { message: found } : found) };
  }
  return null;
}

/** The form of a refusal in `SeenRequest.refusal`. */
export function refusalText({ rule, message }: Refusal): string {
  return `${rule}: ${message}`;
}
