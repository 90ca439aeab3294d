/** Telemetry cannot start as it is set up. The message says which setting to change. */
export class TelemetryRefused extends Error {
  readonly code = "telemetry_refused";
  override readonly name = "TelemetryRefused";
}
