import { describeHostileSchemas } from "../e2e/testing/hostile-schemas-on.ts";

// This test starts a second whole system, which takes too long for every test run. The same test on the other broker is in tests/e2e.
describeHostileSchemas("rabbitmq");
