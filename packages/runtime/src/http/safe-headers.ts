/** The headers of every answer. With them a browser does not guess types, cache the answer, send a referrer, or show the answer on another site. */
export const SAFE_HEADERS = {
  "x-content-type-options": "nosniff",
  "cache-control": "no-store",
  "referrer-policy": "no-referrer",
  "content-security-policy": "default-src 'none'; frame-ancestors 'none'",
  "cross-origin-resource-policy": "same-origin",
} as const;

/** The header that tells browsers to use only TLS for the next year. */
export const ONLY_TLS = { "strict-transport-security": "max-age=31536000; includeSubDomains" } as const;
