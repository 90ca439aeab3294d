/** The finding of a check. Every finding that is not ok has a `fix`, which says what to do. */
export type Check =
  | { readonly name: string; readonly level: "ok"; readonly message: string }
  | { readonly name: string; readonly level: "warn" | "fail"; readonly message: string; readonly fix: string };

export const ok = (name: string, message: string): Check => ({ name, level: "ok", message });
export const warn = (name: string, message: string, fix: string): Check => ({ name, level: "warn", message, fix });
export const fail = (name: string, message: string, fix: string): Check => ({ name, level: "fail", message, fix });
