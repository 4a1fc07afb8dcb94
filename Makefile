# `make help` lists what there is. Everything is installed below the repository, in .venv (Jazzy), .venv-kilted, or .venv-system: beside a
# ROS that is installed and sourced.

DISTRO ?= jazzy
PYTHON ?= python3
ARGS ?=

ifeq ($(DISTRO),jazzy)
VENV := .venv
else ifeq ($(DISTRO),kilted)
VENV := .venv-kilted
else ifeq ($(DISTRO),system)
VENV := .venv-system
else
$(error DISTRO is '$(DISTRO)', but must be jazzy, kilted or system)
endif

ifeq ($(DISTRO),system)
# An overlay of the ROS that is sourced.
export HOD_ROS_UNDERLAY := $(AMENT_PREFIX_PATH)
export AMENT_PREFIX_PATH := $(CURDIR)/$(VENV):$(AMENT_PREFIX_PATH)
export LD_LIBRARY_PATH := $(CURDIR)/$(VENV)/lib:$(LD_LIBRARY_PATH)
else
# The environment is complete in itself: a ROS that is sourced, or another active environment, must not leak in.
ifneq ($(AMENT_PREFIX_PATH),)
unexport LD_LIBRARY_PATH
endif
unexport PYTHONPATH PYTHONHOME VIRTUAL_ENV AMENT_PREFIX_PATH CMAKE_PREFIX_PATH COLCON_PREFIX_PATH
unexport ROS_DISTRO ROS_VERSION ROS_PYTHON_VERSION RMW_IMPLEMENTATION _ROS_WHEELS_BOOTSTRAP_COMPLETE
endif

# make must not show or split the recipes' own variables on the way to the tools below.
MAKEFLAGS += --no-print-directory
unexport MAKEFLAGS MFLAGS MAKELEVEL

PATH := $(CURDIR)/$(VENV)/bin:$(PATH)
RUN := $(VENV)/bin/python

.DEFAULT_GOAL := setup
.PHONY: setup demo sea-demo test check run watch bench soak floods sanitize arm64 lint docs pictures clean help

setup: ## build the environment: ROS 2 wheels, interfaces, package (done by every target below)
	@command -v '$(PYTHON)' >/dev/null || { \
	  echo "make: $(PYTHON) was not found: install Python 3.10 or later, or name one with make PYTHON=..." >&2; exit 1; }
	@'$(PYTHON)' -c 'import sys; sys.exit(sys.version_info < (3, 10))' || { \
	  echo "make: `'$(PYTHON)' -V 2>&1` is too old: install Python 3.10 or later, or name one with make PYTHON=python3.12" >&2; exit 1; }
	@'$(PYTHON)' tools/setup_env.py --distro $(DISTRO) --prefix $(VENV)

demo: setup ## run the node with a robot, a motion and a listener for some seconds, and draw what it answered
	@$(RUN) examples/demo.py $(ARGS)

sea-demo: setup ## track a motion with elastic joints on a simulated arm, over DDS, and draw how well; fails where the figures do
	@$(RUN) examples/sea_demo.py $(ARGS)

test: setup ## run the tests; a part of them with ARGS='-k name'
	@HOD_ROS_TESTS=required ROS_PYTHON_CHECK_FIELDS=1 $(RUN) -m pytest $(ARGS)

check: setup ## run the most telling tests, in a minute
	@HOD_ROS_TESTS=required ROS_PYTHON_CHECK_FIELDS=1 $(RUN) -m pytest -q -n 2 --dist loadfile -m telling --durations 10 $(ARGS)

run: setup ## run the node until Ctrl-C, alone or with ROBOT=my.urdf (or .xacro); ARGS='--ros-args ...'
	@exec $(if $(ROBOT),$(RUN) tools/run_node.py '$(ROBOT)',$(VENV)/bin/hod_node) $(ARGS)

watch: setup ## show once a second what the node answers, until Ctrl-C
	@exec $(RUN) examples/consume_feedforward.py $(ARGS)

bench: setup ## measure, as ratios within one run
	@$(RUN) -m bench $(ARGS)

floods: setup ## end the node by signals, again and again, while planners flood it and the processors burn
	@$(RUN) -m bench.floods $(ARGS)

soak: setup ## run the node for long and watch its memory and losses
	@$(RUN) -m bench.soak $(ARGS)

sanitize: setup ## run the kernel under the address, undefined-behaviour and thread sanitizers; ARGS='address --seconds 60'
	@$(RUN) tools/sanitize.py $(ARGS)

arm64: setup ## build the C++ for arm64 and run it in qemu, where g++-aarch64-linux-gnu and qemu-user are installed
	@$(RUN) -m pytest test/kernel/test_arm64.py $(ARGS)

lint: setup ## check the style, and the types of the examples
	@$(VENV)/bin/ruff check .
	@$(VENV)/bin/mypy
	@$(VENV)/bin/basedpyright

docs: setup ## build the documentation as a site: docs/_build/html/index.html
	@$(RUN) -m pip install --quiet --disable-pip-version-check --no-deps -r requirements/docs.txt
	@$(RUN) -m sphinx -W -q -n -b html docs docs/_build/html

pictures: setup ## draw the pictures of README and docs anew
	@$(RUN) examples/planar_2r.py --output docs/images --kind svg
	@$(RUN) examples/kuka_iiwa.py --output docs/images --kind svg
	@$(RUN) examples/panda_figures.py --output docs/images --kind svg
	@$(RUN) tools/draw_pictures.py docs/images
	@$(RUN) examples/elastic_stiffness.py --picture docs/images/elastic_stiffness.png
	@$(RUN) examples/ruckig_motion.py --picture docs/images/ruckig_motion.png
	@$(RUN) examples/elastic_time_optimal.py --picture docs/images/elastic_time_optimal.png
	@$(RUN) examples/demo.py --picture docs/images/demo.png
	@$(RUN) examples/sea_demo.py --picture docs/images/sea_demo.png

clean: ## remove everything that make has made
	rm -rf .venv .venv-kilted .venv-system build install log docs/_build docs/python .pytest_cache .hypothesis .ruff_cache .mypy_cache *.egg-info
	find hod_ros test bench examples tools -name __pycache__ -prune -exec rm -rf {} + 2>/dev/null || true
	find hod_ros -name '_*.so' -delete

help: ## show this
	@echo "make TARGET [DISTRO=jazzy|kilted|system] [PYTHON=python3.12] [ARGS='...']"
	@awk -F ':.*## ' '/^[a-z-]+:.*## / { printf "  %-8s %s\n", $$1, $$2 }' Makefile
