# depinduce in a container: `docker build -t depinduce .` in a copy of this repository; docs/container.md tells the rest.
#
# torch comes as its CPU-only wheel, from the index of its makers, without the gigabytes for graphics cards.
# `--build-arg EXTRAS=` leaves it away: all works but what has a network in it (docs/commands.md#without-torch).

FROM python:3.11-slim AS build
ARG EXTRAS="[neural]"
ARG TORCH_INDEX="https://download.pytorch.org/whl/cpu"
ENV PREFIX="/opt/depinduce"
WORKDIR /source
COPY pyproject.toml README.md LICENSE constraints.txt requirements.lock ./
COPY tools tools
COPY src src
RUN python -m venv "$PREFIX"
RUN "$PREFIX/bin/pip" install --no-cache-dir --disable-pip-version-check \
    -c constraints.txt --extra-index-url "$TORCH_INDEX" ".$EXTRAS"
# only installing needs it
RUN "$PREFIX/bin/pip" uninstall --yes pip

FROM python:3.11-slim
ENV PREFIX="/opt/depinduce" CORPUS="/corpus" DEPINDUCE_CACHE="/cache"
ENV PATH="/opt/depinduce/bin:$PATH"
COPY --from=build /opt/depinduce /opt/depinduce
# compiled charts are kept in a volume, whoever the user is: the sticky bit keeps them apart
RUN useradd --uid 1000 --create-home linguist \
    && install -d -m 1777 "$DEPINDUCE_CACHE" \
    && install -d -o linguist "$CORPUS"
RUN "$PREFIX/bin/depinduce" --version
USER linguist
VOLUME ["/corpus", "/cache"]
WORKDIR /corpus
EXPOSE 8321
ENTRYPOINT ["depinduce"]
CMD ["--help"]
