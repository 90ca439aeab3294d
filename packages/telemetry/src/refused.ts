/** The error for settings with which telemetry cannot start. Its message says which setting to change. */
export class TelemetryRefused extends Error {
  readonly code = "telemetry_refused";
  override readonly name = "TelemetryRefused";
}
