import { parseArgs } from "node:util";
import { startShop } from "./shop.ts";

// This program serves the shop until it is stopped.
const USAGE = `Usage: npx node examples/orders-shop/src/main.ts [--data DIR] [--reset] [--host ADDRESS] [--port N]

  --data DIR       where the database is kept (.toolbus/orders-shop)
  --reset          remove everything that happened in this shop first
  --host ADDRESS   where to listen (127.0.0.1); whoever reaches it may refund orders
  --port N         where to listen (4020; 0 takes a free one)`;

const flags = readFlags(process.argv.slice(2));
if (!flags.ok) {
  console.error(`${flags.message}\n\n${USAGE}`);
  process.exitCode = 2;
} else if (flags.help) {
  console.log(USAGE);
} else {
  await serve(flags).catch((error: unknown) => {
    console.error(error instanceof Error ? error.message : String(error));
    process.exitCode = 1;
  });
}

function readFlags(args: readonly string[]) {
  try {
    const { values } = parseArgs({
      args: [...args],
      strict: true,
      options: {
        data: { type: "string", default: ".toolbus/orders-shop" },
        reset: { type: "boolean", default: false },
        host: { type: "string", default: "127.0.0.1" },
        port: { type: "string", default: "4020" },
        help: { type: "boolean", short: "h", default: false },
      },
    });
    const port = Number(values.port);
    if (!/^\d{1,5}$/.test(values.port) || port > 65_535)
      return { ok: false, message: `--port must be a number from 0 to 65535, not "${values.port}".` } as const;
    return { ok: true, ...values, port } as const;
  } catch (error) {
    return { ok: false, message: error instanceof Error ? error.message : String(error) } as const;
  }
}

async function serve({ data, reset, host, port }: Extract<ReturnType<typeof readFlags>, { ok: true }>): Promise<void> {
  const shop = await startShop({ directory: data, reset, host, port, clock: () => Date.now(), onError: (error) => console.error(error) });
  for (const signal of ["SIGTERM", "SIGINT"] as const) process.once(signal, () => void shop.stop());
  console.log(`The shop is served at ${shop.url}. ${shop.url}/effects lists what was done to it. Stop with Ctrl-C.`);
}
