import type { AdapterSettings } from "../adapter/adapter-settings.ts";

/** What the Bedrock adapter needs in addition. `apiKey` is a Bedrock API key, sent as a bearer token. */
export interface BedrockSettings extends AdapterSettings {
  /** `us-east-1`; null leaves it to AWS's own settings (`AWS_REGION`, the profile). */
  readonly region: string | null;
  /** Without these and without a key, AWS's default chain finds some: environment, profile, container or machine role. */
  readonly credentials: AwsCredentials | null;
}

export interface AwsCredentials {
  readonly accessKeyId: string;
  readonly secretAccessKey: string;
  /** For temporary credentials. */
  readonly sessionToken?: string;
}
