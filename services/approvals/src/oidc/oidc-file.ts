import { describeProblems, type OidcFile, type OidcGroup, type OidcPerson, parseOidcFile } from "@toolbus/contracts";
import { type AllowedHosts, readSecretJson, Refusal, whyNotCalled } from "@toolbus/runtime";

/** The provider at which people sign in, and the rights that its groups have here. */
export interface OidcProvider extends Pick<OidcFile, "name" | "clientId" | "clientSecret" | "tenant"> {
  readonly issuer: URL;
  /** All scopes to ask for. */
  readonly scopes: readonly string[];
  readonly personClaim: string;
  readonly groupsClaim: string;
  readonly groups: ReadonlyMap<string, OidcGroup>;
  readonly people: ReadonlyMap<string, OidcPerson>;
  /** The hosts that may be called even if they are not public. */
  readonly allowed: AllowedHosts;
}

const WHAT = "The file of the OIDC provider";

/** Reads the provider. Returns null if no file is named. Throws a `Refusal` of one sentence that contains no secret. */
export async function readOidcFile(file: string, allowed: AllowedHosts): Promise<OidcProvider | null> {
  if (file === "") return null;
  const read = parseOidcFile(await readSecretJson({ file, what: WHAT, setting: "APPROVALS_OIDC_FILE" }));
  if (!read.ok) throw new Refusal(`${WHAT} ${file} breaks its schema: ${describeProblems(read.problems)}.`);
  const fault = groupFault(read.value);
  if (fault !== null) throw new Refusal(`${WHAT} ${file} cannot be used: ${fault}.`);
  const {
    name,
    clientId,
    clientSecret,
    scopes = [],
    tenant,
    personClaim = "sub",
    groupsClaim = "groups",
    groups,
    people = {},
  } = read.value;
  return {
    name,
    issuer: issuerOf(read.value, file, allowed),
    clientId,
    ...(clientSecret === undefined ? {} : { clientSecret }),
    scopes: [...new Set(["openid", ...scopes])],
    tenant,
    personClaim,
    groupsClaim,
    groups: new Map(Object.entries(groups)),
    people: new Map(Object.entries(people)),
    allowed,
  };
}

function issuerOf({ issuer }: Pick<OidcFile, "issuer">, file: string, allowed: AllowedHosts): URL {
  const url = URL.parse(issuer);
  if (!url || url.search !== "" || url.hash !== "")
    throw new Refusal(`The issuer in ${file} is no address without a query; copy the "issuer" that the provider publishes.`);
  const refused = whyNotCalled(url, allowed);
  if (refused !== null)
    throw new Refusal(`The issuer in ${file} is refused: ${refused}. Name its host in WEBHOOK_ALLOWED_HOSTS if you mean it.`);
  // The browser and approvals both send secrets to this address.
  if (url.protocol === "http:" && !LOOPBACK.test(url.hostname))
    throw new Refusal(
      `The issuer in ${file} is plain HTTP on another machine, so anybody in between could sign in; use its https address.`,
    );
  return url;
}

const LOOPBACK = /^(?:localhost|127(?:\.\d+){3}|\[::1\])$/;

/** Returns what is wrong with the mapping of groups, or null. */
function groupFault({ groups, people = {} }: OidcFile): string | null {
  for (const [name, { role, tiers }] of Object.entries(groups)) {
    if (role === "approver" && tiers === undefined)
      return `groups "${name}" has the role approver and no tiers; say which tiers it may decide`;
    if (role === "operator" && tiers !== undefined)
      return `groups "${name}" has the role operator, which decides nothing; remove its tiers`;
  }
  for (const [person, { groups: own = [] }] of Object.entries(people)) {
    const unknown = own.find((group) => !Object.hasOwn(groups, group));
    if (unknown !== undefined)
      return `people "${person}" has the group "${unknown}", which groups does not have; add it, or remove it there`;
  }
  return null;
}
