import type { Rule } from "../wire/rule.ts";
import type { BedrockAsk } from "./bedrock-ask.ts";
import { bedrockMessageRules } from "./bedrock-message-rules.ts";
import { bedrockToolRules } from "./bedrock-tool-rules.ts";
import { readSignature, signatureHolds } from "./signature-v4.ts";

export const BEDROCK_KEY_ID = "AKIDTOOLBUS";
export const BEDROCK_SECRET = "toolbus/test/secret";
/** The name has a colon, as many real names do, so a client must encode it. */
export const BEDROCK_MODEL = "us.anthropic.claude-sonnet-4-5-20250929-v1:0";

const converse = "https://docs.aws.amazon.com/bedrock/latest/APIReference/API_runtime_Converse.html";
const common = "https://docs.aws.amazon.com/bedrock/latest/APIReference/CommonErrors.html";
const bearer = "https://docs.aws.amazon.com/bedrock/latest/userguide/api-keys-use.html";

/** The rules of Converse and ConverseStream. */
export const bedrockRules: readonly Rule<BedrockAsk>[] = [
  {
    name: "known operation",
    status: 404,
    source: converse,
    unconfirmed: true,
    check: ({ request: { method }, operation }) =>
      method === "POST" && operation !== "" ? null : { message: "Unknown operation.", code: "UnknownOperationException" },
  },
  {
    name: "request is signed or has a bearer token",
    status: 403,
    source: common,
    unconfirmed: true,
    check: ({ request: { headers } }) =>
      headers["authorization"] === undefined
        ? { message: "Missing Authentication Token", code: "MissingAuthenticationTokenException" }
        : null,
  },
  {
    name: "signature is of the known form",
    status: 403,
    source: `${common} (IncompleteSignature)`,
    unconfirmed: true,
    check({ request: { headers } }) {
      const authorization = headers["authorization"] ?? "";
      return authorization.startsWith("Bearer ") || readSignature(authorization)?.service === "bedrock"
        ? null
        : {
            message: "Authorization header requires 'Credential', 'SignedHeaders' and 'Signature' parameters.",
            code: "IncompleteSignatureException",
          };
    },
  },
  {
    name: "bearer token is valid",
    status: 403,
    source: bearer,
    unconfirmed: true,
    check({ request: { headers } }) {
      const authorization = headers["authorization"] ?? "";
      return !authorization.startsWith("Bearer ") || authorization === `Bearer ${BEDROCK_SECRET}`
        ? null
        : { message: "Authentication failed: Please make sure your API Key is valid.", code: "AccessDeniedException" };
    },
  },
  {
    name: "access key is known",
    status: 403,
    source: `${common} (UnrecognizedClientException)`,
    unconfirmed: true,
    check({ request: { headers } }) {
      const signed = readSignature(headers["authorization"] ?? "");
      return signed === null || signed.keyId === BEDROCK_KEY_ID
        ? null
        : { message: "The security token included in the request is invalid.", code: "UnrecognizedClientException" };
    },
  },
  {
    name: "signature is correct",
    status: 403,
    source:
      "https://docs.aws.amazon.com/IAM/latest/UserGuide/reference_sigv-create-signed-request.html, and a test ran AWS's SDK, which signs in this way",
    check({ request }) {
      const signed = readSignature(request.headers["authorization"] ?? "");
      return signed === null || signatureHolds(request, signed, BEDROCK_SECRET)
        ? null
        : {
            message:
              "The request signature we calculated does not match the signature you provided. Check your AWS Secret Access Key and signing method.",
            code: "InvalidSignatureException",
          };
    },
  },
  {
    name: "body is a JSON object",
    status: 400,
    source: `${common} (SerializationException)`,
    unconfirmed: true,
    check: ({ request: { body } }) =>
      typeof body === "object" && body !== null && !Array.isArray(body)
        ? null
        : { message: "Unexpected token in the request body", code: "SerializationException" },
  },
  {
    name: "model exists",
    status: 400,
    source: converse,
    unconfirmed: true,
    check: ({ model }) => (model === BEDROCK_MODEL ? null : "The provided model identifier is invalid."),
  },
  {
    name: "inference settings in range",
    status: 400,
    source: "https://docs.aws.amazon.com/bedrock/latest/APIReference/API_runtime_InferenceConfiguration.html",
    unconfirmed: true,
    check({ body }) {
      const { maxTokens, temperature, topP } = (body["inferenceConfig"] ?? {}) as Readonly<Record<string, unknown>>;
      if (maxTokens !== undefined && !(typeof maxTokens === "number" && Number.isInteger(maxTokens) && maxTokens >= 1))
        return invalid("maxTokens");
      for (const [name, value] of Object.entries({ temperature, topP })) {
        if (value !== undefined && !(typeof value === "number" && value >= 0 && value <= 1)) return invalid(name);
      }
      return null;
    },
  },
  ...bedrockMessageRules,
  ...bedrockToolRules,
];

function invalid(member: string): string {
  return `1 validation error detected: Value at 'inferenceConfig.${member}' failed to satisfy constraint: Member is out of range`;
}
