import type { AdapterSettings } from "../adapter/adapter-settings.ts";

/** What the Bedrock adapter needs beside the rest. `apiKey` is a Bedrock API key, sent as a bearer token. */
export interface BedrockSettings extends AdapterSettings {
  /** `us-east-1`; null leaves it to AWS's own settings (`AWS_REGION`, the profile). */
  readonly region: string | null;
  /** Without these and without a key, AWS's default chain finds some: environment, profile, container or machine role. */
  readonly credentials: AwsCredentials | null;
}

export interface AwsCredentials {
  readonly accessKeyId: string;
  readonly secretAccessKey: string;
  /** Of credentials that were lent for a while. */
  readonly sessionToken?: string;
}
