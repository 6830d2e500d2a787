# RETRACE's server.
#
#   docker build -t retrace .
#   docker run --detach --name retrace --init --restart unless-stopped \
#     --security-opt seccomp=unconfined --security-opt apparmor=unconfined --security-opt systempaths=unconfined \
#     --cap-drop ALL --security-opt no-new-privileges --device /dev/net/tun \
#     --publish 127.0.0.1:3000:3000 --volume retrace:/data \
#     --env APP_ID --env WEBHOOK_SECRET --env PRIVATE_KEY retrace
#
# Why these flags: every repair runs in a bubblewrap sandbox, which makes user namespaces and mounts of its own. Docker's
# default seccomp and AppArmor profiles refuse that, and its masked /proc keeps a new /proc from being mounted inside
# (podman: --security-opt unmask=ALL for systempaths). The host must allow unprivileged user namespaces
# (kernel.unprivileged_userns_clone=1, kernel.apparmor_restrict_unprivileged_userns=0 where these exist). /dev/net/tun is
# slirp4netns's, for installing dependencies; without it set RETRACE_SETUP_NETWORK=off. `retrace doctor --server` inside
# says what is missing. Nothing here needs --privileged, and no Docker socket is ever to be mounted.

FROM node:20-bookworm-slim AS build
RUN apt-get update \
 && apt-get install -y --no-install-recommends build-essential python3 \
 && rm -rf /var/lib/apt/lists/*
WORKDIR /app
COPY package.json package-lock.json ./
COPY script/build.mjs script/build.mjs
# `prepare` runs the build, which needs the sources: first the packages alone, so that they are kept between builds.
RUN npm ci --no-audit --no-fund --ignore-scripts && npm rebuild
COPY tsconfig.json tsconfig.build.json ./
COPY src src
RUN npm run build && npm prune --omit=dev --no-audit --no-fund --ignore-scripts

FROM node:20-bookworm-slim
RUN apt-get update \
 && apt-get install -y --no-install-recommends bubblewrap ca-certificates git iproute2 slirp4netns \
 && rm -rf /var/lib/apt/lists/* \
 && mkdir /data && chown node:node /data
WORKDIR /app
COPY --from=build /app/package.json ./
COPY --from=build /app/node_modules node_modules
COPY --from=build /app/dist dist
COPY LICENSE ./
USER node
ENV NODE_ENV=production HOST=0.0.0.0 PORT=3000 RETRACE_DATA_DIR=/data
VOLUME /data
EXPOSE 3000
HEALTHCHECK --interval=30s --timeout=5s --start-period=20s --retries=3 \
  CMD ["node", "-e", "fetch(`http://127.0.0.1:${process.env.PORT}/healthz`).then((r) => process.exit(r.ok ? 0 : 1), () => process.exit(1))"]
CMD ["node", "dist/main.js", "serve"]
