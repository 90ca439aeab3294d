import { type Check, warn } from "./check.ts";

/**
 * Warns if the gateway and the approval page have one host name. Browsers send the cookies of a host to all its ports (RFC 6265, section 8.5), so a
 * compromised gateway could decide with the session of a person. Says nothing about loopback addresses, where all services share one machine anyway.
 */
export function checkPageHost(gatewayUrl: string, approvalsUrl: string): readonly Check[] {
  const [gateway, page] = [gatewayUrl, approvalsUrl].map((url) => URL.parse(url)?.hostname ?? "");
  if (page === undefined || page !== gateway || LOOPBACK.test(page)) return [];
  return [
    warn(
      "page",
      `The approval page and the gateway have one host name, ${page}, so a browser sends the page's session to the gateway too.`,
      'Give approvals a host name of its own: see "A host name of its own" in docs/approvals.md.',
    ),
  ];
}

const LOOPBACK = /^(?:localhost|.*\.localhost|\[::1\]|127(?:\.\d+){3})$/;
