import { cleanEnv, makeValidator, str, type ValidatorSpec } from "envalid";

/** The settings of a service. Each environment variable has a validator, a default and a description. A process reads them once, at its start. */
export type Settings = Readonly<Record<string, ValidatorSpec<unknown>>>;

export type SettingsOf<S extends Settings> = { readonly [K in keyof S]: S[K] extends ValidatorSpec<infer T> ? T : never };

/** The error for wrong variables. The message lists all of them. */
export class BadSettings extends Error {
  readonly code = "bad_settings";
  override readonly name = "BadSettings";
}

/** Reads settings from an environment. Throws `BadSettings`, which names every wrong variable, its fault and its description. */
export function readSettings<const S extends Settings>(settings: S, env: Readonly<Record<string, string | undefined>>): SettingsOf<S> {
  const faults: string[] = [];
  const given = Object.fromEntries(
    Object.entries(env).filter(([name, value]) => Object.hasOwn(settings, name) && value !== undefined && value !== ""),
  );
  const values = cleanEnv(given, settings as Record<string, ValidatorSpec<unknown>>, {
    reporter: ({ errors }) => {
      for (const [name, error] of Object.entries(errors))
        faults.push(`${name}: ${(error?.message ?? "is not valid").replace(/\.$/, "")} (${settings[name]?.desc ?? "no description"})`);
    },
  });
  if (faults.length > 0) throw new BadSettings(`${faults.length === 1 ? "A setting is" : "Settings are"} wrong: ${faults.join("; ")}.`);
  // The result is a plain copy, because envalid's proxy throws on unknown names and so cannot be spread or inspected.
  return Object.fromEntries(Object.keys(settings).map((name) => [name, (values as Record<string, unknown>)[name]])) as SettingsOf<S>;
}

/** Returns a validator for a whole number within bounds. */
export function integer(bounds: { readonly min: number; readonly max: number }) {
  return makeValidator<number>((text) => {
    const value = Number(text);
    if (!/^-?\d+$/.test(text) || value < bounds.min || value > bounds.max)
      throw new Error(`must be a whole number from ${bounds.min} to ${bounds.max}, not "${text.slice(0, 40)}"`);
    return value;
  });
}

/** An amount of US dollars, down to a millionth. */
export const dollars = makeValidator<number>((text) => {
  if (!/^\d{1,9}(\.\d{1,6})?$/.test(text)) throw new Error(`must be US dollars such as 2.50, not "${text.slice(0, 40)}"`);
  return Number(text);
});

/** Milliseconds, from 1 ms to 31 days. */
export const milliseconds = integer({ min: 1, max: 31 * 86_400_000 });

export const port = integer({ min: 0, max: 65_535 });

/** An http or https address. The error does not repeat the value, because it may contain a password. */
export const httpAddress = makeValidator<string>((text) => {
  if (!URL.canParse(text) || !/^https?:$/.test(new URL(text).protocol))
    throw new Error("must be an address that begins with http:// or https://");
  return text;
});

export { str };
