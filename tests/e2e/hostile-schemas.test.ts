import { describeHostileSchemas } from "./testing/hostile-schemas-on.ts";

// tests/outside runs these tests on the other broker.
describeHostileSchemas("nats");
