# An image with ossify, the queue and the S3 SDK, from this repository: docs/guide/batch.md
FROM node:22-slim AS build
WORKDIR /source
COPY . .
RUN npm ci --ignore-scripts && npm run build && npm pack --ignore-scripts --pack-destination /package

FROM node:22-slim
RUN --mount=type=bind,from=build,source=/package,target=/package \
    npm install --global --ignore-scripts --omit=dev /package/*.tgz bullmq@^6.7.0 ioredis@^6.0.0 @aws-sdk/client-s3@^3.1164.0 \
    && npm cache clean --force
USER node
ENTRYPOINT ["ossify"]
CMD ["--help"]
