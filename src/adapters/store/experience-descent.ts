import type { ExperienceRecord } from "../../domain/experience.ts";

/** The ids, and those of every record that was made from them and from nothing else. */
export function whoFollows(records: readonly ExperienceRecord[], ids: ReadonlySet<string>): ReadonlySet<string> {
  const gone = new Set(ids);
  for (let before = -1; before !== gone.size; ) {
    before = gone.size;
    for (const { meta } of records) {
      if (meta.parents.length > 0 && meta.parents.every((parent) => gone.has(parent))) gone.add(meta.id);
    }
  }
  return gone;
}

/** The records that stay and were partly made from what goes, without it. */
export function withoutParents(
  records: readonly ExperienceRecord[],
  gone: ReadonlySet<string>,
): readonly ExperienceRecord[] {
  const stays = (id: string): boolean => !gone.has(id);
  return records
    .filter(({ meta }) => stays(meta.id) && meta.parents.some((parent) => gone.has(parent)))
    .map((record): ExperienceRecord => {
      const meta = { ...record.meta, parents: record.meta.parents.filter(stays) };
      if (record.level === "L2") {
        return { ...record, meta, body: { ...record.body, memberL1Ids: record.body.memberL1Ids.filter(stays) } };
      }
      if (record.level === "L3") {
        return { ...record, meta, body: { ...record.body, memberL2Ids: record.body.memberL2Ids.filter(stays) } };
      }
      return { ...record, meta };
    });
}
