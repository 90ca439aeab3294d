import { SKEW_WARN_MS } from "@toolbus/state";

/** The options that this check knows. */
interface CheckedOptions {
  readonly jwksFile?: string | undefined;
  readonly jwksUrl?: string | undefined;
  readonly clockSkewWarnMs?: number | undefined;
}

/**
 * Returns why a toolset cannot be served with these options, with the remedy. Returns null if nothing is missing and the numbers are in their ranges.
 */
export function optionFault({ jwksFile, jwksUrl, clockSkewWarnMs = SKEW_WARN_MS.default }: CheckedOptions): string | null {
  const { min, max } = SKEW_WARN_MS;
  // A variable that is not set mostly arrives as an empty text.
  if ([jwksFile, jwksUrl].every((place) => place === undefined || place === ""))
    return 'it has no public keys of approvals, which verify grants. Pass JWKS_FILE as "jwksFile", or JWKS_URL as "jwksUrl".';
  if (!(clockSkewWarnMs >= min && clockSkewWarnMs <= max))
    return `"clockSkewWarnMs" must be from ${min} to ${max} milliseconds, not ${String(clockSkewWarnMs)}.`;
  return null;
}
