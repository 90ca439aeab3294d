import { integer, type SettingsOf, str } from "../settings.ts";

/** The settings of every service with an HTTP port. */
export const httpSettings = {
  HTTPS_ONLY: str({
    default: "false",
    choices: ["true", "false"],
    desc: "true if clients connect over TLS; the service then tells browsers to use only TLS",
  }),
  CORS_ORIGINS: str({
    default: "",
    desc: "the origins whose pages may call this service from a browser, separated by commas: https://chat.example.com; empty: none",
  }),
  AUTH_FAILURES_PER_MINUTE: integer({ min: 0, max: 1_000_000 })({
    default: 10,
    desc: "how many wrong keys one address may send per minute before it gets 429; 0 for no limit",
  }),
} as const;

export type HttpConfig = SettingsOf<typeof httpSettings>;

/** A setting for a limit per minute. 0 means no limit. */
export const perMinute = integer({ min: 0, max: 1_000_000 });
