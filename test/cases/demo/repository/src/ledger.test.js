import assert from "node:assert/strict";
import { test } from "node:test";
import { balance, overdrawn } from "./ledger.js";

test("a ledger adds up", () => {
  assert.equal(balance([{ amount: 5 }, { amount: -2 }]), 3);
});

test("a ledger below zero is overdrawn", () => {
  assert.equal(overdrawn([{ amount: -1 }]), true);
});
