# The program alone, on nothing: no shell, no libraries, no root.
#
#   docker build -t sitewalk .
#   docker run --rm --user "$(id -u):$(id -g)" -v "$PWD/public:/docroot" -v sitewalk:/cache \
#     sitewalk build --base-url https://www.example.com/
#
# There is no git in it: the lastmod source git has no answer.

ARG GO_VERSION=1.26
FROM --platform=$BUILDPLATFORM golang:${GO_VERSION} AS build
WORKDIR /source
COPY go.mod go.sum ./
RUN go mod download
COPY . .
ARG TARGETOS TARGETARCH
RUN GOOS=$TARGETOS GOARCH=$TARGETARCH packaging/build /image/sitewalk
RUN mkdir -p /image/licenses /image/etc/ssl/certs && \
    packaging/third-party-licenses > /image/licenses/THIRD-PARTY-LICENSES && \
    cp LICENSE /image/licenses/ && \
    # For --previous with an https address.
    cp /etc/ssl/certs/ca-certificates.crt /image/etc/ssl/certs/ && \
    # Any user may keep a state there: who runs it is the docroot's owner.
    mkdir -m 1777 /image/cache

FROM scratch
COPY --from=build /image/ /
ENV XDG_CACHE_HOME=/cache
VOLUME /docroot /cache
WORKDIR /docroot
USER 65532:65532
ENTRYPOINT ["/sitewalk"]
CMD ["--help"]
