import { connectionError } from "../adapter/connection-error.ts";
import { AuthenticationError, ModelError, NetworkError, ProviderError } from "../model-errors.ts";
import { retryAfterMs } from "../adapter/retry-after.ts";
import { statusError } from "../adapter/status-error.ts";
import type { Provider } from "../adapter/vendor-words.ts";
import type { BedrockSettings } from "./bedrock-settings.ts";
import type { SeenResponse } from "./client.ts";

interface Asked {
  readonly settings: BedrockSettings;
  /** The names of the tools that were sent, in order. */
  readonly toolNames: readonly string[];
  /** The answer that the error is about, or null if none arrived. */
  readonly response: SeenResponse | null;
}

/**
 * Converts the SDK's error into one of the classes that the loop knows. Returns an error unchanged if neither the vendor nor the network caused it.
 */
export function bedrockError(error: unknown, { settings, toolNames, response }: Asked): unknown {
  if (error instanceof ModelError || !(error instanceof Error)) return error;
  const provider: Provider = {
    name: "Amazon Bedrock",
    keyVariable: CREDENTIALS,
    baseUrl: settings.baseUrl,
    secret: settings.credentials?.secretAccessKey ?? settings.apiKey,
  };
  if (NO_CREDENTIALS.test(error.name))
    return new AuthenticationError(`No credentials for Amazon Bedrock were found: set ${CREDENTIALS}.`, { cause: error });
  if (/region is missing/i.test(error.message))
    return new AuthenticationError("No region for Amazon Bedrock is set: set AWS_REGION, such as us-east-1.", { cause: error });

  const inStream = response?.statusCode === 200;
  const status = STATUS_OF_CAUSE[error.name] ?? (inStream ? STATUS_IN_STREAM[error.name] : response?.statusCode) ?? null;
  if (status === null) {
    const broken = error instanceof SyntaxError || BROKEN.test(error.message);
    const network = connectionError(error, provider);
    if (!broken || network instanceof NetworkError) return network;
    return new ProviderError("Amazon Bedrock's answer is broken: nothing of it is used.", true, { cause: error });
  }
  // For a body that is not JSON, such as a gateway's page, the SDK reports its own parsing error.
  const said = error instanceof SyntaxError ? "" : error.message;
  return statusError({
    provider,
    model: settings.model,
    toolNames,
    status,
    inStream,
    said,
    kind: UNKNOWN_MODEL.test(said) ? "unknown-model" : undefined,
    requestId: response?.headers["x-amzn-requestid"] ?? null,
    retryAfterMs: retryAfterMs((name) => response?.headers[name]),
  });
}

const CREDENTIALS = "AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY, AWS_PROFILE or AWS_BEARER_TOKEN_BEDROCK";
const NO_CREDENTIALS = /^(CredentialsProviderError|TokenProviderError)$/;
const UNKNOWN_MODEL = /model identifier is invalid|on-demand throughput isn.t supported/i;
/** The frame decoder's errors about lengths, checksums, headers and documents that are not JSON. */
const BROKEN =
  /checksum|message length|message too short|event message where size|Unrecogniz(able event|ed header) type|Deserialization error|is not valid JSON|Unexpected (token|end)/i;

/** The status for errors whose own status does not match their meaning. */
const STATUS_OF_CAUSE: Readonly<Record<string, number>> = {
  UnrecognizedClientException: 401,
  InvalidSignatureException: 401,
  SignatureDoesNotMatch: 401,
  IncompleteSignatureException: 401,
  MissingAuthenticationTokenException: 401,
  ExpiredTokenException: 401,
  ServiceQuotaExceededException: 429,
  // This error disappears by itself and is not a rate limit, although its own status is 429.
  ModelNotReadyException: 503,
};

/**
 * The status of an error inside a stream, which has a name but no status. Source:
 * docs.aws.amazon.com/bedrock/latest/APIReference/API_runtime_ConverseStream.html.
 */
const STATUS_IN_STREAM: Readonly<Record<string, number>> = {
  ValidationException: 400,
  ResourceNotFoundException: 404,
  AccessDeniedException: 403,
  ThrottlingException: 429,
  ModelTimeoutException: 408,
  ModelErrorException: 424,
  ModelStreamErrorException: 424,
  InternalServerException: 500,
  ServiceUnavailableException: 503,
};
