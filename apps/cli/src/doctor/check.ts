/** The finding of a check. `fix` says what to do, and every finding that is not ok has one. */
export type Check =
  | { readonly name: string; readonly level: "ok"; readonly message: string }
  | { readonly name: string; readonly level: "warn" | "fail"; readonly message: string; readonly fix: string };

export const ok = (name: string, message: string): Check => ({ name, level: "ok", message });
export const warn = (name: string, message: string, fix: string): Check => ({ name, level: "warn", message, fix });
export const fail = (name: string, message: string, fix: string): Check => ({ name, level: "fail", message, fix });
