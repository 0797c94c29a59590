# The image of `muster scheduler`, for the chart and the manifests in deploy/:
#
#   docker build --build-arg MUSTER_COMMIT="$(git rev-parse HEAD)" -t registry.example.com/muster:0.1.0 .
#
# tools/try-dockerfile carries these steps out without a container engine.

FROM debian:12 AS build
WORKDIR /src
COPY . .
ARG MUSTER_COMMIT=
ARG MUSTER_JOBS=2
RUN --mount=type=cache,target=/root/.cache/ccache ./dev package
RUN mkdir /out && tar -xzf dist/muster-*-linux-*.tar.gz --strip-components=1 -C /out

FROM debian:12-slim
COPY --from=build /out/PACKAGES /usr/share/doc/muster/PACKAGES
RUN apt-get update -q \
 && xargs -a /usr/share/doc/muster/PACKAGES env DEBIAN_FRONTEND=noninteractive apt-get install -y -q --no-install-recommends ca-certificates \
 && rm -rf /var/lib/apt/lists/*
COPY --from=build /out/LICENSE /usr/share/doc/muster/LICENSE
COPY --from=build /out/muster /usr/local/bin/muster
USER 65532:65532
EXPOSE 8080 11251
ENTRYPOINT ["/usr/local/bin/muster"]
CMD ["--help"]
