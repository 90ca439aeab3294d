/** A rule that the vendor applies to requests, with its source. `T` is the request in the form of its protocol. */
export interface Rule<T> {
  /** A short and stable name, because tests and docs/model-servers.md use it. */
  readonly name: string;
  readonly status: number;
  /** The address of a page, or a file of the vendor's SDK. */
  readonly source: string;
  /** True if the rule is from memory or second hand, because we found no document of the vendor that confirms it. */
  readonly unconfirmed?: true;
  /** Returns the vendor's message, or null if the request follows the rule. It is called only if the request follows all earlier rules. */
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

/** Returns the refusal for the first rule that the request breaks, or null. The order of the table is the order in which the vendor checks. */
export function firstRefusal<T>(rules: readonly Rule<T>[], asked: T): Refusal | null {
  for (const rule of rules) {
    const found = rule.check(asked);
    if (found === null) continue;
    return { rule: rule.name, status: rule.status, ...(typeof found === "string" ? { message: found } : found) };
  }
  return null;
}

/** Returns a refusal in the form of `SeenRequest.refusal`. */
export function refusalText({ rule, message }: Refusal): string {
  return `${rule}: ${message}`;
}
