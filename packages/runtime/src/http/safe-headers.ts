/** Headers of every answer: they stop a browser from guessing types, caching, sending a referrer, framing, and use by other sites. */
export const SAFE_HEADERS = {
  "x-content-type-options": "nosniff",
  "cache-control": "no-store",
  "referrer-policy": "no-referrer",
  "content-security-policy": "default-src 'none'; frame-ancestors 'none'",
  "cross-origin-resource-policy": "same-origin",
} as const;

/** For browsers that reached the service over TLS: never again without it, for a year. */
export const ONLY_TLS = { "strict-transport-security": "max-age=31536000; includeSubDomains" } as const;
