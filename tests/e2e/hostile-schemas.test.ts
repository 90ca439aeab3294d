import { describeHostileSchemas } from "./hostile-schemas-on.ts";

// On the other broker: tests/outside.
describeHostileSchemas("nats");
