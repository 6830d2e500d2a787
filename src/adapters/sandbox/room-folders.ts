import { mkdir, mkdtemp, writeFile } from "node:fs/promises";
import path from "node:path";
import { removeTree } from "../remove-tree.ts";

/** The folders of one room on our side. */
export interface RoomFolders {
  readonly root: string;
  readonly home: string;
  readonly tmp: string;
  /** Read-only inside: what stands here is written by us, and nobody can have put a link in its place. */
  readonly scripts: string;
  readonly etc: string;
}

/** The room's only user; files it makes belong to whoever started us. */
export const ROOM_USER = { name: "runner", id: 1000 } as const;

const etcFiles = (home: string): Readonly<Record<string, string>> => ({
  hosts: "127.0.0.1 localhost\n::1 localhost ip6-localhost ip6-loopback\n127.0.1.1 sandbox\n",
  "nsswitch.conf": "passwd: files\ngroup: files\nhosts: files dns\nservices: files\nprotocols: files\n",
  passwd: `root:x:0:0::/root:/usr/sbin/nologin\n${ROOM_USER.name}:x:${ROOM_USER.id}:${ROOM_USER.id}::${home}:/bin/bash\nnobody:x:65534:65534::/:/usr/sbin/nologin\n`,
  group: `root:x:0:\n${ROOM_USER.name}:x:${ROOM_USER.id}:\nnogroup:x:65534:\n`,
  // The address at which slirp4netns answers for the host's resolver.
  "resolv.conf": "nameserver 10.0.2.3\n",
});

/** Makes the private folders of a room below `parent`; `homeInside` is where HOME will be seen. Rejects when it cannot be written. */
export async function makeRoomFolders(parent: string, homeInside: string): Promise<RoomFolders> {
  await mkdir(parent, { recursive: true });
  const root = await mkdtemp(path.join(parent, "room-"));
  const folders = {
    root,
    home: path.join(root, "home"),
    tmp: path.join(root, "tmp"),
    scripts: path.join(root, "scripts"),
    etc: path.join(root, "etc"),
  };
  for (const folder of [folders.home, folders.tmp, folders.scripts, folders.etc]) await mkdir(folder);
  for (const [name, text] of Object.entries(etcFiles(homeInside))) await writeFile(path.join(folders.etc, name), text);
  return folders;
}

/** Removes a room's folders, read-only ones of a module cache included. */
export async function removeRoomFolders({ root }: RoomFolders): Promise<void> {
  await removeTree(root);
}
