import type { AdapterSettings } from "../adapter/adapter-settings.ts";

/** The settings of the Bedrock adapter. `apiKey` is a Bedrock API key, which is sent as a bearer token. */
export interface BedrockSettings extends AdapterSettings {
  /** The region, such as `us-east-1`. Null leaves the choice to AWS's own settings (`AWS_REGION`, the profile). */
  readonly region: string | null;
  /**
   * The credentials. Without them and without a key, AWS's default chain searches the environment, the profile and the role of the container or
   * machine.
   */
  readonly credentials: AwsCredentials | null;
}

export interface AwsCredentials {
  readonly accessKeyId: string;
  readonly secretAccessKey: string;
  /** The token of temporary credentials. */
  readonly sessionToken?: string;
}
