// Exits with 0 if the service in this container accepts work. The Dockerfile uses this program as its HEALTHCHECK.
const url = `http://127.0.0.1:${process.env["HEALTH_PORT"]}/readyz`;
try {
  const response = await fetch(url, { signal: AbortSignal.timeout(2000) });
  const { status, reasons } = await response.json();
  console.log([status, ...reasons].join(", "));
  process.exitCode = response.ok ? 0 : 1;
} catch (error) {
  console.log(`${url} does not answer (${error instanceof Error ? error.name : String(error)})`);
  process.exitCode = 1;
}
