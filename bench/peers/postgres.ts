import { Client } from "pg";

/** Rejects if PostgreSQL does not answer at this address. */
export async function greet(url: string, patienceMs: number): Promise<void> {
  const client = new Client({ connectionString: url, connectionTimeoutMillis: patienceMs });
  await client.connect();
  await client.end();
}

/** Removes a schema with everything in it. */
export async function dropSchema(url: string, schema: string): Promise<void> {
  const client = new Client({ connectionString: url });
  await client.connect();
  try {
    await client.query("SET client_min_messages TO warning");
    await client.query(`DROP SCHEMA IF EXISTS ${schemaName(schema)} CASCADE`);
  } finally {
    await client.end();
  }
}

/** Returns a namespace as the name of a schema. */
export function schemaOf(namespace: string): string {
  return namespace.replaceAll("-", "_");
}

function schemaName(schema: string): string {
  return `"${schema.replaceAll('"', '""')}"`;
}
