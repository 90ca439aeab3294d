import { MAX_ARGUMENT_BYTES } from "@toolbus/contracts";

/** The limits that an operator sets. Each replaces the limit that the author of the tool declared. */
export interface LimitSettings {
  /** Returns the operator's limit for this tool or dependency, or undefined if there is none. 0 switches a limit of calls per minute off. */
  of(name: string, limit: LimitName): number | undefined;
  /** The names in the settings, without `*`. */
  readonly names: readonly string[];
}

export type LimitName = keyof typeof RANGES;

/** The error for a text of limits that cannot be used. The message says what is wrong and what to write instead. */
export class LimitsRefused extends Error {
  readonly code = "limits_refused";
  override readonly name = "LimitsRefused";
}

/**
 * Reads limits such as `get_order.callsPerMinute=60,*.argumentBytes=4096,shop.concurrent=4`. `*` means every tool, or every dependency, that the text does
 * not name. Throws `LimitsRefused` with one sentence.
 */
export function limitSettings(text: string): LimitSettings {
  const values = new Map<string, number>();
  for (const part of text.split(",").map((item) => item.trim())) {
    if (part === "") continue;
    const [, name = "", limit = "", digits = ""] = /^(\*|[A-Za-z0-9][A-Za-z0-9._:-]{0,119})\.([A-Za-z]+)=(\d{1,6})$/.exec(part) ?? [];
    if (!isLimit(limit))
      throw new LimitsRefused(
        `"${part.slice(0, 80)}" is not a limit: write limits as get_order.callsPerMinute=60,*.argumentBytes=4096,shop.concurrent=4.`,
      );
    const [min, max] = RANGES[limit];
    if (Number(digits) < min || Number(digits) > max)
      throw new LimitsRefused(`"${part.slice(0, 80)}" is out of range: ${limit} is from ${min} to ${max}.`);
    if (values.has(`${name}.${limit}`))
      throw new LimitsRefused(`"${part.slice(0, 80)}" sets a limit a second time: remove one of the two.`);
    values.set(`${name}.${limit}`, Number(digits));
  }
  return {
    of: (name, limit) => values.get(`${name}.${limit}`) ?? values.get(`*.${limit}`),
    names: [...new Set([...values.keys()].map((key) => key.slice(0, key.lastIndexOf("."))))].filter((name) => name !== "*"),
  };
}

const RANGES = {
  argumentBytes: [2, MAX_ARGUMENT_BYTES],
  callsPerMinute: [0, 100_000],
  concurrent: [1, 1024],
} as const;

function isLimit(text: string): text is LimitName {
  return Object.hasOwn(RANGES, text);
}
