/** Telemetry cannot start with these settings. The message says which setting to change. */
export class TelemetryRefused extends Error {
  readonly code = "telemetry_refused";
  override readonly name = "TelemetryRefused";
}
