// A process of its own that writes to an experience store: `<data folder> <name> <count>`; used by experience-kill.test.ts.
import { fileExperienceStore } from "../../../src/adapters/store/experience-store.ts";
import { anL1, aProblemRepair } from "../../fakes/experience.ts";

const [place = "", name = "", count = "0"] = process.argv.slice(2);
const store = fileExperienceStore(place);
const scope = { tenant: "local", repo: "acme/shop", workflow: null };
// Long enough that a write takes more than one page.
const command = "npm test -- ".repeat(600);
const isCounting = Number(count) < 1000;

for (let at = 0; at < Number(count); at++) {
  const id = `${name}-${at}`;
  const [written] = await store.append([anL1({ id, scope }, { v: { ...aProblemRepair().v, command } })]);
  if (written?.ended !== "kept") throw new Error(`${id}: ${written?.ended} ${written?.why}`);
  process.stdout.write(`${id}\n`);
  if (!isCounting) continue;
  await store.change(scope, (existing) => {
    const known = existing.find(({ meta }) => meta.id === "counter");
    return [anL1({ id: "counter", scope, support: (known?.meta.support ?? 0) + 1 })];
  });
}
await store.close();
